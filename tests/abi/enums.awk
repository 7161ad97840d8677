# hip_enums.tsv -> ROW(name, value) lines. exceptions.tsv comes first.
BEGIN { FS = "\t" }
FILENAME ~ /exceptions/ { if ($1 == "enum") expected[$2] = $3; next }
FNR == 1 { next }
{
    name = $1 == "_" ? "__" $2 : $2 # the measuring tool split macro names at their underscores
    value = $5 != "-" && $5 != "" ? $5 : $4
    if ($1 == "hipGLDeviceList") value = $3 # measured in HIP 5.2 alone
    if (value == "-" || value == "") next # gone after HIP 5
    if (name in expected) {
        used[name] = 1
        value = expected[name]
        if (value == "-") next
    }
    printf "ROW(%s, %s)\n", name, value
}
END {
    for (name in expected)
        if (!(name in used)) printf "ROW(unused_exception_%s, 0)\n", name
}
