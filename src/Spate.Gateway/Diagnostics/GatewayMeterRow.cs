namespace Spate.Gateway.Diagnostics;

/// <summary>One instrument of the meter: what it is called, and the figures that it shows for each name.</summary>
internal sealed record GatewayMeterRow(string Name, string Unit, string Meaning, GatewayMeterFigure[] Figures)
{
    /// <summary>Whether the value may fall: it is a number of things that are there now.</summary>
    public bool GoesDown { get; init; }
}
