# hip_api.tsv -> C: every function must have been declared, and with this type. exceptions.tsv
# comes first.
BEGIN { FS = "\t" }
FILENAME ~ /exceptions/ { if ($1 == "signature") expected[$2] = $3; next }
FNR == 1 { next }
$2 == "cxx_inline" || $1 in seen { next }
{
    seen[$1] = 1
    signature = $15
    if ($1 in expected) {
        if (signature == expected[$1]) printf "#error \"%s: the exception is not needed\"\n", $1
        signature = expected[$1]
    }
    if (signature == "") {
        printf "#error \"%s: no prototype\"\n", $1
        next
    }
    if (signature ~ /^HIP_DEPRECATED/) sub(/^HIP_DEPRECATED *\(([^()"]*|"[^"]*")*\) */, "", signature)
    gsub(/\/\*[^*]*\*\//, "", signature)
    gsub(/ *= *[A-Za-z0-9_]+/, "", signature) # default arguments
    printf "typedef __typeof__(%s) declared_%s;\n%s;\n", $1, $1, signature
    count++
}
END {
    for (name in expected)
        if (!(name in seen)) printf "#error \"%s: no such function\"\n", name
    printf "// %d prototypes\n", count
}
