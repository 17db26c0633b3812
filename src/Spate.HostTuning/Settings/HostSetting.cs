using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Settings;

/// <summary>
/// One value of the system that has a reading, a command for people and a way to write it: what a check advises is what
/// is applied and what is restored.
/// </summary>
internal abstract record HostSetting
{
    /// <summary>What it is called in messages, in one line.</summary>
    public abstract string Name { get; }

    /// <summary>
    /// The text that <see cref="HostSettings.Parse"/> makes the setting of again: two settings are the same if these
    /// are.
    /// </summary>
    public abstract string Identity { get; }

    /// <summary>The command that sets a value, to be pasted into a shell of root.</summary>
    public abstract string CommandFor(string value);

    /// <summary>The value as it is now; null where it cannot be read.</summary>
    public abstract string? Read(string rootPath);

    /// <summary>
    /// Whether the system refuses any other value here, also of root: in a network namespace that is not the host's
    /// first one, and where a container's manager has mounted the folder read-only.
    /// </summary>
    public virtual bool IsRefused(HostFiles files) => false;

    /// <summary>Whether two texts are the same value, however the system writes it.</summary>
    public virtual bool IsSame(string left, string right) => string.Equals(left, right, StringComparison.Ordinal);

    /// <summary>Writes a value.</summary>
    /// <exception cref="IOException">The system refuses the value; the message says why.</exception>
    public abstract void Write(string rootPath, string value);
}
