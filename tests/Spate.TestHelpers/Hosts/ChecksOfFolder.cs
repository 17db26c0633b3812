using Spate.HostTuning.Checks;
using Spate.HostTuning.Examination;

namespace Spate.TestHelpers.Hosts;

/// <summary>The checks of one folder, in the order of the catalog.</summary>
internal static class ChecksOfFolder
{
    /// <summary>Those in the folder of a check.</summary>
    public static IReadOnlyList<HostCheck> Of<T>()
        where T : HostCheck =>
        [.. CheckCatalog.All.Where(static check =>
            string.Equals(check.GetType().Namespace, typeof(T).Namespace, StringComparison.Ordinal))];
}
