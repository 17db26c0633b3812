namespace Spate.Measurement.Info;

/// <summary>
/// One thing that the library can or cannot do on this host. The names here are those of the JSON, whatever the
/// library calls them.
/// </summary>
/// <param name="Name">Its name, in camelCase.</param>
/// <param name="Available">Whether it worked when it was tried.</param>
/// <param name="Reason">What was seen, or why it is not available.</param>
public sealed record InfoCapability(string Name, bool Available, string Reason)
{
    internal static InfoCapability Of(UdpCapability capability) =>
        new(capability.Name, capability.IsAvailable, capability.Reason);
}
