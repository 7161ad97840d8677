/* `anyhip trace`: what a trace file amounts to. */
#ifndef AH_ANYHIP_TRACE_H
#define AH_ANYHIP_TRACE_H

/* arguments: those behind "trace". Returns the exit status. */
int ah_trace(int count, char **arguments);

#endif
