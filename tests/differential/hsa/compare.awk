# compare.awk -v model=MODEL -v least=LINES TABLE SIMHSA AMD: compares what two runtimes gave, and fails for
# differences that are not in the table, for rows of it that cover other than so many differences,
# and for fewer lines than there were.
BEGIN { FS = "\t" }

# Whether text is like a value of the table.
function is_like(text, value,    parts, count, i, at) {
    count = split(value, parts, "*")
    if (count < 2)
        return text == value
    if (substr(text, 1, length(parts[1])) != parts[1])
        return 0
    text = substr(text, length(parts[1]) + 1)
    for (i = 2; i <= count; i++) {
        at = index(text, parts[i])
        if (parts[i] != "" && at == 0)
            return 0
        if (parts[i] != "")
            text = substr(text, at + length(parts[i]))
    }
    return parts[count] == "" || text == ""
}

function complain(text) {
    print text
    failed = 1
}

FNR == 1 { file++ }

file == 1 {
    if ($0 !~ /^#/ && model ~ "^(" $1 ")$" || $0 !~ /^#/ && $1 == ".") {
        if (NF != 6 || $6 == "")
            complain("not a row of six columns: " $0)
        key[++rows] = "^(" $2 ")$"
        wanted[rows] = $3
        of_simhsa[rows] = $4
        of_amd[rows] = $5
    }
    next
}

{
    if (($1, file) in value)
        complain("a line for the second time: " $1)
    value[$1, file] = $2
    if (!($1 in known)) {
        known[$1]
        order[++keys] = $1
    }
}

END {
    for (i = 1; i <= keys; i++) {
        a = (order[i], 2) in value ? value[order[i], 2] : "-"
        b = (order[i], 3) in value ? value[order[i], 3] : "-"
        if (a == b)
            continue
        differences++
        for (row = 1; row <= rows; row++)
            if (order[i] ~ key[row] && is_like(a, of_simhsa[row]) && is_like(b, of_amd[row]))
                break
        if (row > rows)
            complain(model " " order[i] ": simhsa gives " a ", AMD's runtime " b)
        else
            found[row]++
    }
    for (row = 1; row <= rows; row++)
        if (wanted[row] == "*" ? found[row] == 0 : found[row] + 0 != wanted[row])
            complain(model " " key[row] ": " found[row] + 0 " differences are as listed, not " \
                     wanted[row])
    if (keys < least)
        complain(model ": no more than " keys " lines")
    printf "%s: %d lines, %d differences, %s\n", model, keys, differences,
        failed ? "not as listed" : "as listed"
    exit failed
}
