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
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
