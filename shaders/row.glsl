// The row of groups that a group is in. The host spreads rows over y and z (gpu/kernels/groups.hpp),
// so there may be more groups than rows.
uint group_row() { return gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y; }
