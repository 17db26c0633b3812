using Microsoft.Extensions.Options;

namespace Spate.Hosting.Hosted;

/// <summary>
/// Refuses options before the host starts. Of what was set in code this checks what hosting itself uses; the server
/// checks the rest when it starts.
/// </summary>
internal sealed class ServerOptionsValidation : IValidateOptions<UdpHostedServerOptions>
{
    public ValidateOptionsResult Validate(string? name, UdpHostedServerOptions options)
    {
        List<string> faults = [.. options.Faults];
        string path = $"Udp:{name}";
        bool isTold = faults.Exists(
            fault => fault.StartsWith($"{path}:LocalEndPoints ", StringComparison.OrdinalIgnoreCase));
        if (options.LocalEndPoints is null or [] && !isTold)
        {
            faults.Add(
                $"{path}:LocalEndPoints is missing: expected the addresses and ports to serve, like 0.0.0.0:9999 for "
                + "IPv4 addresses of the host.");
        }

        if (options.DrainTimeout < TimeSpan.Zero)
        {
            faults.Add($"{path}:DrainTimeout is {options.DrainTimeout:c}: expected a time of zero or more.");
        }

        if (!Enum.IsDefined(options.ServerExceptionBehavior))
        {
            faults.Add(
                $"{path}:ServerExceptionBehavior is {options.ServerExceptionBehavior:d}: expected one of "
                + $"{string.Join(", ", Enum.GetNames<UdpServerExceptionBehavior>())}.");
        }

        if (options.HandlerFactory is null)
        {
            faults.Add(
                $"The UDP server '{name}' has no handler: call AddHandler<THandler>() on what AddUdpServer returned.");
        }

        return faults.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(faults);
    }
}
