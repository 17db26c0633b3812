namespace Spate.Gateway;

/// <summary>
/// Called for each datagram that a <see cref="GatewayReader"/> reads: one call at a time, in the order of each stream.
/// </summary>
/// <param name="record">The datagram, valid until the call returns.</param>
public delegate void GatewayRecordCallback(in GatewayRecord record);
