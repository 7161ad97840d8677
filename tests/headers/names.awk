# The names that a translation unit declares at global scope, one a line, from clang's -ast-dump:
# functions, variables, types, enumerators and templates, also those in extern "C" and in a
# namespace without a name. No operators.
BEGIN {
    enclosing[0] = 1 # the column of what holds global declarations
    top = 0
}

# The word before the type in quotes, or the last one.
function declared(line)
{
    sub(/ '.*/, "", line)
    sub(/ definition$/, "", line)
    sub(/.* /, "", line)
    return line
}

/^[| `-]+[A-Z][A-Za-z]+ 0x/ {
    match($0, /[A-Z]/)
    while (top > 0 && RSTART <= enclosing[top])
        top--
    if (RSTART != enclosing[top] + 2)
        next
    kind = substr($0, RSTART)
    sub(/ .*/, "", kind)
    unnamed = $0 ~ /:[0-9]+( nested)?$/
    if (kind == "LinkageSpecDecl" || (kind == "NamespaceDecl" && unnamed) ||
        (kind == "EnumDecl" && $0 !~ / class /))
        enclosing[++top] = RSTART
    if (kind ~ /^(Function|Var|Typedef|TypeAlias|CXXRecord|Enum|EnumConstant|ClassTemplate|FunctionTemplate|VarTemplate|TypeAliasTemplate)Decl$/ &&
        !unnamed && $0 !~ / implicit /) {
        name = declared($0)
        if (name ~ /^[A-Za-z_][A-Za-z_0-9]*$/ && !seen[name]++)
            print name
    }
}
