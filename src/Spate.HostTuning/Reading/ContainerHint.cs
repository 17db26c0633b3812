using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading;

/// <summary>Looks for signs of a container. The result is only a hint: nothing in Linux tells for certain.</summary>
internal static class ContainerHint
{
    public static string? Find(HostFiles files, Func<string, string?> environment)
    {
        // systemd's interface for container managers: the name in this file or in $container.
        string? named = files.ReadLine("run/systemd/container") ?? NullIfEmpty(environment("container"));
        if (!string.IsNullOrEmpty(environment("KUBERNETES_SERVICE_HOST"))) return "kubernetes";

        if (named is not null) return named;

        if (files.Exists(".dockerenv")) return "docker";

        if (files.Exists("run/.containerenv")) return "podman";

        return string.Equals(environment("DOTNET_RUNNING_IN_CONTAINER"), "true", StringComparison.OrdinalIgnoreCase)
            ? "container"
            : null;
    }

    private static string? NullIfEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;
}
