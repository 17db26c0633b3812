namespace Spate.HostTuning.Reading.Probing;

/// <summary>What became of one probe.</summary>
/// <param name="HasPassed">Whether a reply came.</param>
/// <param name="FragmentBytes">The largest fragment of the reply; null for a reply in one packet.</param>
/// <param name="TrafficClass">The reply's TOS or traffic class; null where unknown.</param>
/// <param name="IsTooLong">Whether this host, or a router by a message, said that the probe is too long.</param>
internal readonly record struct EchoAnswer(bool HasPassed, int? FragmentBytes, byte? TrafficClass, bool IsTooLong);
