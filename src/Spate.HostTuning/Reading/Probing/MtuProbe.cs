namespace Spate.HostTuning.Reading.Probing;

/// <summary>What probes found of a path.</summary>
/// <param name="PathBytes">The largest packet that passed; null where not even the shortest was answered.</param>
/// <param name="IsExact">Whether one byte more did not pass, or nothing longer could be sent.</param>
/// <param name="ReplyFragmentBytes">
/// The largest fragment of the reply to that packet, which is the MTU of the way back; null for a reply in one packet.
/// </param>
/// <param name="ProbeCount">How many probes were sent.</param>
internal sealed record MtuProbe(int? PathBytes, bool IsExact, int? ReplyFragmentBytes, int ProbeCount);
