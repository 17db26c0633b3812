namespace Spate.Measurement.Cores;

/// <summary>The CPUs over a whole run.</summary>
/// <param name="Cores">Those that matter, in rising order.</param>
/// <param name="Limit">Which one is the limit.</param>
/// <param name="ThrottledSeconds">See <see cref="Reports.MeasurementReport.ThrottledSeconds"/>.</param>
internal sealed record CoreSummary(CoreReport[] Cores, CoreLimit Limit, double? ThrottledSeconds);
