using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Settings;

/// <summary>One value of the system: what a check advises is what is applied and what is restored.</summary>
internal abstract record HostSetting
{
    public abstract string Name { get; }

    /// <summary><see cref="HostSettings.Parse"/> reads it: two settings are the same if these are.</summary>
    public abstract string Identity { get; }

    /// <summary>To be pasted into a shell of root.</summary>
    public abstract string CommandFor(string value);

    public abstract string? Read(string rootPath);

    /// <summary>
    /// The system refuses other values to root too: in a network namespace that is not the host's first one, and where
    /// a container's manager has mounted the folder read-only.
    /// </summary>
    public virtual bool IsRefused(HostFiles files) => false;

    public virtual bool IsSame(string left, string right) => string.Equals(left, right, StringComparison.Ordinal);

    /// <summary>IOException where the system refuses the value; the message says why.</summary>
    public abstract void Write(string rootPath, string value);
}
