namespace Spate.Cli.Tune;

/// <summary>How the candidates of <c>spate tune --measure</c> were measured.</summary>
/// <param name="Ends">Where the two ends were, in a few words.</param>
/// <param name="SizeBytes">Payload bytes of a datagram.</param>
/// <param name="DatagramsPerSecond">The rate asked for; null for as many as possible.</param>
/// <param name="Seconds">The length of one measurement.</param>
/// <param name="Repeat">How often each side was measured in a series.</param>
/// <param name="Seed">What decided the order.</param>
internal sealed record TuneLoad(
    string Ends, int SizeBytes, double? DatagramsPerSecond, double Seconds, int Repeat, int Seed);
