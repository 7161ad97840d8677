// hipError_t: every function's result.
#ifndef HIP_INCLUDE_HIP_API_ERROR_TYPES_H
#define HIP_INCLUDE_HIP_API_ERROR_TYPES_H

/// Names of an early version, kept for old programs.
enum {
    HIP_SUCCESS = 0,
    HIP_ERROR_INVALID_VALUE,
    HIP_ERROR_NOT_INITIALIZED,
    HIP_ERROR_LAUNCH_OUT_OF_RESOURCES
};

#if defined(__cplusplus) && __cplusplus >= 201703L
#define __HIP_NODISCARD [[nodiscard]]
#else
#define __HIP_NODISCARD
#endif

/// Result of a call. Most values equal CUresult's; those from 1052 on are HIP's own.
typedef enum __HIP_NODISCARD hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1, ///< an argument is NULL or out of range
    hipErrorOutOfMemory = 2,
    hipErrorMemoryAllocation = 2, ///< older name
    hipErrorNotInitialized = 3,
    hipErrorInitializationError = 3, ///< older name
    hipErrorDeinitialized = 4,       ///< the driver is shutting down
    hipErrorProfilerDisabled = 5,
    hipErrorProfilerNotInitialized = 6,
    hipErrorProfilerAlreadyStarted = 7,
    hipErrorProfilerAlreadyStopped = 8,
    hipErrorInvalidConfiguration = 9, ///< a launch this device cannot do
    hipErrorInvalidPitchValue = 12,
    hipErrorInvalidSymbol = 13, ///< not a registered device variable
    hipErrorInvalidDevicePointer = 17,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInsufficientDriver = 35,   ///< the driver is too old
    hipErrorMissingConfiguration = 52, ///< a launch without hipConfigureCall()
    hipErrorPriorLaunchFailure = 53,
    hipErrorInvalidDeviceFunction = 98, ///< not a registered kernel
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101, ///< no device has this ordinal
    hipErrorInvalidImage = 200,  ///< not a loadable code object
    hipErrorInvalidContext = 201,
    hipErrorContextAlreadyCurrent = 202, ///< older drivers only
    hipErrorMapFailed = 205,
    hipErrorMapBufferObjectFailed = 205, ///< older name
    hipErrorUnmapFailed = 206,
    hipErrorArrayIsMapped = 207,
    hipErrorAlreadyMapped = 208,
    hipErrorNoBinaryForGpu = 209, ///< no image in the binary fits the device
    hipErrorAlreadyAcquired = 210,
    hipErrorNotMapped = 211,
    hipErrorNotMappedAsArray = 212,
    hipErrorNotMappedAsPointer = 213,
    hipErrorECCNotCorrectable = 214, ///< memory error on the device
    hipErrorUnsupportedLimit = 215,
    hipErrorContextAlreadyInUse = 216,
    hipErrorPeerAccessUnsupported = 217,
    hipErrorInvalidKernelFile = 218, ///< device code that does not compile (invalid PTX)
    hipErrorInvalidGraphicsContext = 219,
    hipErrorInvalidSource = 300,
    hipErrorFileNotFound = 301,
    hipErrorSharedObjectSymbolNotFound = 302,
    hipErrorSharedObjectInitFailed = 303, ///< a library could not be loaded
    hipErrorOperatingSystem = 304,        ///< a system call failed
    hipErrorInvalidHandle = 400,          ///< not a live stream, event, module ...
    hipErrorInvalidResourceHandle = 400,  ///< older name
    hipErrorIllegalState = 401,
    hipErrorNotFound = 500,             ///< no symbol of this name
    hipErrorNotReady = 600,             ///< work is not finished: an answer, not a failure
    hipErrorIllegalAddress = 700,       ///< a kernel touched memory it may not
    hipErrorLaunchOutOfResources = 701, ///< too many registers or too much shared memory
    hipErrorLaunchTimeOut = 702,        ///< a kernel ran past the system's limit
    hipErrorPeerAccessAlreadyEnabled = 704,
    hipErrorPeerAccessNotEnabled = 705,
    hipErrorSetOnActiveProcess = 708, ///< too late: the device is in use
    hipErrorContextIsDestroyed = 709,
    hipErrorAssert = 710, ///< an assert() in a kernel failed
    hipErrorHostMemoryAlreadyRegistered = 712,
    hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719,             ///< a kernel faulted
    hipErrorCooperativeLaunchTooLarge = 720, ///< the grid does not fit the device at once
    hipErrorNotSupported = 801,              ///< this device or AnyHIP cannot do it
    hipErrorStreamCaptureUnsupported = 900,  ///< not allowed while a stream is capturing
    hipErrorStreamCaptureInvalidated = 901,  ///< the capture was broken by an earlier error
    hipErrorStreamCaptureMerge = 902,        ///< would join two captures
    hipErrorStreamCaptureUnmatched = 903,    ///< the capture did not begin in this stream
    hipErrorStreamCaptureUnjoined = 904,     ///< a forked stream was not joined again
    hipErrorStreamCaptureIsolation = 905,    ///< a dependency would leave the capture
    hipErrorStreamCaptureImplicit = 906,     ///< would depend on the legacy stream
    hipErrorCapturedEvent = 907,             ///< the event was last recorded in a capture
    hipErrorStreamCaptureWrongThread = 908,  ///< the capture began in another thread
    hipErrorGraphExecUpdateFailure = 910,    ///< the change needs a new instantiation
    hipErrorInvalidChannelDescriptor = 911,
    hipErrorInvalidTexture = 912,
    hipErrorInvalidResourceType = 914,
    hipErrorInvalidResourceConfiguration = 915,
    hipErrorStreamDetached = 916, ///< the stream's execution context is gone
    hipErrorUnknown = 999,
    hipErrorRuntimeMemory = 1052,      ///< the AMD driver failed to provide memory
    hipErrorRuntimeOther = 1053,       ///< the AMD driver failed otherwise
    hipErrorTbd = 1054,                ///< end of the list as of HIP 7.0; it moves
    hipErrorInvalidClusterSize = 1054, ///< from HIP 7.14 on
} hipError_t;

#undef __HIP_NODISCARD

#endif
