namespace Spate.Serving;

/// <summary>Exceptions of one kind that a handler threw. The server goes on after each.</summary>
/// <param name="ShardIndex">The shard on whose thread the exception was thrown.</param>
/// <param name="Exception">The last exception of this kind.</param>
/// <param name="Count">How many exceptions of this kind there were since the last report, this one included.</param>
public sealed record UdpServerFault(int ShardIndex, Exception Exception, long Count);
