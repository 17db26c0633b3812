namespace Spate.Measurement.Bench;

/// <summary>A row that did not run.</summary>
/// <param name="Name">The row's name.</param>
/// <param name="Reason">Why not, one line.</param>
public sealed record BenchSkippedRow(string Name, string Reason);
