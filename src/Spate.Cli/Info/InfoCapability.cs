namespace Spate.Cli.Info;

/// <summary>
/// One thing that the library can or cannot do on this host. The members are named as in the JSON, not as in the
/// library.
/// </summary>
/// <param name="Name">Its name, in camelCase.</param>
/// <param name="Available">Whether it worked when it was tried.</param>
/// <param name="Reason">What was seen, or why it is not available.</param>
internal sealed record InfoCapability(string Name, bool Available, string Reason)
{
    internal static InfoCapability Of(UdpCapability capability) =>
        new(capability.Name, capability.IsAvailable, capability.Reason);
}
