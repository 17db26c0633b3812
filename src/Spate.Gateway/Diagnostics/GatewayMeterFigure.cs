namespace Spate.Gateway.Diagnostics;

/// <summary>One figure of an instrument, with the attributes that tell it from the instrument's others.</summary>
internal sealed class GatewayMeterFigure(
    Func<GatewayStatistics, long> read, params KeyValuePair<string, object?>[] tags)
{
    public Func<GatewayStatistics, long> Read => read;

    public KeyValuePair<string, object?>[] Tags => tags;
}
