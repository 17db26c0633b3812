namespace Spate.Cli.Tune;

/// <summary>
/// How the candidates of <c>spate tune --measure</c> were measured. <c>SizeBytes</c>: payload bytes of a datagram.
/// <c>DatagramsPerSecond</c>: the rate asked for; null for as many as possible.
/// </summary>
internal sealed record TuneLoad(
    string Ends, int SizeBytes, double? DatagramsPerSecond, double Seconds, int Repeat, int Seed);
