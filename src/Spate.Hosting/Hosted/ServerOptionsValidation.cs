using Microsoft.Extensions.Options;

namespace Spate.Hosting.Hosted;

/// <summary>
/// Refuses options before the host starts. What was set in code is checked by the server itself when it starts.
/// </summary>
internal sealed class ServerOptionsValidation : IValidateOptions<UdpHostedServerOptions>
{
    public ValidateOptionsResult Validate(string? name, UdpHostedServerOptions options)
    {
        List<string> faults = [.. options.Faults];
        string path = $"Udp:{name}";
        bool isTold = faults.Exists(
            fault => fault.StartsWith($"{path}:EndPoints ", StringComparison.OrdinalIgnoreCase));
        if (options.EndPoints.Count == 0 && !isTold)
        {
            faults.Add(
                $"{path}:EndPoints is missing: expected the addresses and ports to serve, like 0.0.0.0:9999 for all "
                + "IPv4 addresses of the host.");
        }

        if (options.MakeHandler is null)
        {
            faults.Add(
                $"The UDP server '{name}' has no handler: call AddHandler<THandler>() on what AddUdpServer returned.");
        }

        return faults.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(faults);
    }
}
