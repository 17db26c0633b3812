using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>
/// The device behind an interface. <c>/sys/class/net</c> is made of relative links, and .NET folds "device/.." as text,
/// so links are followed here, one at a time and never out of <c>/sys</c>.
/// </summary>
internal static class SysfsDevice
{
    private const string NetworkClass = "sys/class/net";

    // IFNAMSIZ of linux/if.h, less the terminating NUL.
    private const int MaxNameLength = 15;

    public static string? InterfacePath(HostFiles files, string name)
    {
        if (name.Length is 0 or > MaxNameLength || name is "." or ".."
            || name.Contains('/', StringComparison.Ordinal))
        {
            return null;
        }

        string path = $"{NetworkClass}/{name}";
        return files.ReadLink(path) is { } link ? Follow(NetworkClass, link) : path;
    }

    /// <summary>Null for interfaces without a device (loopback, veth, bridges, bonds).</summary>
    public static string? DevicePath(HostFiles files, string interfacePath)
    {
        string path = interfacePath + "/device";
        return files.ReadLink(path) is { } link ? Follow(interfacePath, link)
            : files.DirectoryExists(path) ? path : null;
    }

    /// <summary>A virtio device's interrupts and node are those of its parent, a PCI function.</summary>
    public static string Parent(string path)
    {
        int slash = path.LastIndexOf('/');
        return slash < 0 ? path : path[..slash];
    }

    public static string NameOf(string path) => path[(path.LastIndexOf('/') + 1)..];

    private static string? Follow(string directory, string link)
    {
        var parts = new List<string>(directory.Split('/'));
        foreach (string part in link.Split('/'))
        {
            if (part is ".." && parts.Count > 1)
            {
                parts.RemoveAt(parts.Count - 1);
            }
            else if (part.Length == 0 || part is "..")
            {
                return null;
            }
            else if (part is not ".")
            {
                parts.Add(part);
            }
        }

        return string.Join('/', parts);
    }
}
