// What a piece of a test program, or another run of it, writes to its standard streams.
#ifndef AH_TESTS_OUTPUT_H
#define AH_TESTS_OUTPUT_H

#include "hip_test.h"

#include <cstdio>
#include <string>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
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

// What this program with an argument prints, standard error included, and how it ends. Without a
// shell between, which not every sanitizer bears.
inline std::string output_of_self(const char *argument, int *out_status)
{
    int ends[2], status = -1;
    pid_t child;
    std::string text;
    const char *const argv[] = {"/proc/self/exe", argument, nullptr};
    posix_spawn_file_actions_t actions;
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    int error = posix_spawn(&child, argv[0], &actions, nullptr, const_cast<char **>(argv), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    CHECK_EQ(error, 0);
    char piece[256];
    for (ssize_t n; error == 0 && (n = read(ends[0], piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(n));
    close(ends[0]);
    if (error == 0)
        waitpid(child, &status, 0);
    *out_status = status;
    return text;
}

} // namespace ah_test

#endif
