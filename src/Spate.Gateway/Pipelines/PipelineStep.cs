namespace Spate.Gateway.Lanes;

/// <summary>What the publisher of a lane does next.</summary>
internal enum LaneStep
{
    /// <summary>Publish the pack.</summary>
    Publish,

    /// <summary>Wait for the lane's signal.</summary>
    Wait,

    /// <summary>Packs were refused and all is settled: pause, then publish them again.</summary>
    Pause,

    /// <summary>The connection is lost: connect again.</summary>
    Connect,

    /// <summary>Everything is said: end.</summary>
    End,
}
