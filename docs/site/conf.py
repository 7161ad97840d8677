"""The site of the documentation: Sphinx with MyST for Markdown and the theme Furo."""
import os

project = "AnyHIP"
author = "the AnyHIP project"
version = release = os.environ.get("ANYHIP_VERSION", "")

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
highlight_language = "text"
suppress_warnings = ["myst.header"]  # a page may begin with a heading of any level
nitpicky = True

html_theme = "furo"
html_title = "AnyHIP %s" % version
# Debian's build of Furo has these for readers who choose the dark theme, and not for those whose
# system does: here they are for both.
html_theme_options = {
    "dark_css_variables": {
        "color-problematic": "#ee5151",
        "color-foreground-primary": "#e6e9ee",
        "color-foreground-secondary": "#9ca0a5",
        "color-foreground-muted": "#81868d",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444444",
        "color-brand-primary": "#6cb2ff",
        "color-brand-content": "#6cb2ff",
        "color-highlighted-background": "#083563",
        "color-highlight-on-target": "#333300",
        "color-admonition-background": "#18181a",
        "color-card-border": "#1a1c1e",
        "color-card-background": "#18181a",
        "color-card-marginals-background": "#1e2124",
    },
}
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
