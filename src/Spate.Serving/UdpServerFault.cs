namespace Spate.Serving;

/// <summary>Exceptions of one kind that a handler threw. The server goes on after each.</summary>
/// <param name="ShardIndex">The thread it happened on.</param>
/// <param name="Exception">The last one.</param>
/// <param name="Count">How many of this kind there were since the last report, this one included.</param>
public sealed record UdpServerFault(int ShardIndex, Exception Exception, long Count);
