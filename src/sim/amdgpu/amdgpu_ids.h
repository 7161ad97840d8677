enum amdgpu_id { AMDGPU_ID_NONE };
