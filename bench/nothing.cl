// Does nothing: what remains is the cost of launching it.
__kernel void nothing(__global void *memory)
{
}
