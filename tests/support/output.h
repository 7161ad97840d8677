// What a piece of a test program writes to one of its standard streams.
#ifndef AH_TESTS_OUTPUT_H
#define AH_TESTS_OUTPUT_H

#include <cstdio>
#include <string>

#include <unistd.h>

namespace ah_test
{

// stream: stdout or stderr, during run().
template <typename F> std::string output_of(std::FILE *stream, F run)
{
    std::fflush(stream);
    int number = fileno(stream), kept = dup(number);
    std::FILE *file = std::tmpfile();
    dup2(fileno(file), number);
    run();
    std::fflush(stream);
    dup2(kept, number);
    close(kept);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;)
        text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

} // namespace ah_test

#endif
