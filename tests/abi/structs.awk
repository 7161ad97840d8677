# hip_struct_layout.tsv -> SIZE(type, size), ALIGN(type, alignment), FIELD(type, field, offset)
# lines. exceptions.tsv comes first.
BEGIN { FS = "\t" }
FILENAME ~ /exceptions/ {
    if ($1 == "field" || $1 == "struct") expected[$2] = $3
    next
}
FNR == 1 { next }
{
    name = $1
    value = $6 != "-" && $6 != "" ? $6 : $5
    if (name == "hipDeviceProp_t") { # the name HIP 5 had for it
        name = "hipDeviceProp_tR0000"
        value = $4
    }
    if (value == "-" || value == "") next # HIP 5 only
    if (name in expected) { used[name] = 1; next }
    # Structures within hipStreamBatchMemOpParams_union are named by either tool's convention.
    sub(/^hipStreamBatchMemOpParams_union(::|_)/, "", name)
    type = name
    if (name ~ /_st$|^hipStreamMemOp|^hipLaunchParams_t$|^hipFunctionLaunchParams_t$/ ||
        name ~ /^hipUUID_t$|^hipResourceViewDesc$|^surfaceReference$/)
        type = "struct " name
    if (name ~ /_union$/) type = "union " name
    if ($2 == "(sizeof)") {
        if (value == 0) next # opaque
        printf "SIZE(%s, %s)\n", type, value
        if (match($3, /align63=[0-9]+/)) printf "ALIGN(%s, %s)\n", type, substr($3, RSTART + 8, RLENGTH - 8)
        next
    }
    field = $2 ~ /[^A-Za-z0-9_]/ ? "(unnamed)" : $2
    if (name "." field in expected) {
        used[name "." field] = 1
        field = expected[name "." field]
        if (field == "-") next
    }
    printf "FIELD(%s, %s, %s)\n", type, field, value
}
END {
    for (name in expected)
        if (!(name in used)) printf "SIZE(struct unused_exception_%s, 0)\n", name
}
