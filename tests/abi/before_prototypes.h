// What the prototypes of hip_api.tsv need beside the headers: the plain symbols of HIP 5 under
// their own names, and the name of a tracer's type.
#undef hipGetDeviceProperties
#undef hipChooseDevice
typedef unsigned int activity_domain_t;
