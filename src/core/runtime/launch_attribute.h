/* Attributes of launches: their checks, and the form in which a launch carries them. */
#ifndef AH_LAUNCH_ATTRIBUTE_H
#define AH_LAUNCH_ATTRIBUTE_H

#include "registry.h"

/* Whether a launch or a kernel node on the device may have the attribute with this value. call: the
 * public function, for messages. hipErrorInvalidValue: it is none, or the value is out of range;
 * hipErrorInvalidClusterSize: the device cannot have such clusters; hipErrorNotSupported: it has no
 * such attribute. */
hipError_t ah_launch_attribute_check(const struct ah_device *device, hipLaunchAttributeID attribute,
                                     const hipLaunchAttributeValue *value, const char *call);
/* Adds an attribute that was checked. */
void ah_launch_attribute_add(struct ah_launch_attributes *attributes,
                             hipLaunchAttributeID attribute, const hipLaunchAttributeValue *value);
/* The value of an attribute, as hipGraphKernelNodeGetAttribute gives it: zeros if it was not
 * added. */
void ah_launch_attribute_read(const struct ah_launch_attributes *attributes,
                              hipLaunchAttributeID attribute, hipLaunchAttributeValue *out_value);
/* Lets the launch carry the attributes, which it points to, if there are any. */
void ah_launch_attributes_use(struct ah_launch *launch,
                              const struct ah_launch_attributes *attributes);

#endif
