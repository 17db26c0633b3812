namespace Spate.Cli.Gateway;

/// <summary>Consecutive numbers whose datagrams are not in the stream.</summary>
internal sealed record GatewayGapReport
{
    /// <summary><c>dropped</c>, <c>missing</c>, <c>unexplained</c>, <c>unsettled</c> or <c>cut-off</c>.</summary>
    public string Kind { get; set; } = "";

    /// <summary>The first number.</summary>
    public long First { get; set; }

    /// <summary>How many datagrams the gap has.</summary>
    public long Count { get; set; }

    /// <summary>Why they were dropped, for example <c>window-full</c>; null where no reason is stated.</summary>
    public string? Reason { get; set; }
}
