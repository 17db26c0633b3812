namespace Spate.Build.Sbom;

/// <summary>One thing that a package is made with or of, with its terms.</summary>
/// <param name="Locked">What the lock file has on it.</param>
/// <param name="IsBuildTool">Whether it only helps to build, and no part of it is delivered.</param>
/// <param name="Licence">The SPDX expression; null where it is not stated.</param>
/// <param name="Copyright">The copyright line; null where it is not stated.</param>
internal sealed record Material(LockedPackage Locked, bool IsBuildTool, string? Licence, string? Copyright)
{
    /// <summary>The licence of this repository's own packages.</summary>
    public const string OwnLicence = "MIT";

    public static Material Of(LockedPackage locked, PackageFolder folder)
    {
        if (locked.IsProject) return new Material(locked, IsBuildTool: false, OwnLicence, null);
        (string? licence, string? copyright) = folder.ReadTerms(locked.Name, locked.Version);
        return new Material(locked, folder.IsBuildTool(locked.Name, locked.Version), licence, copyright);
    }
}
