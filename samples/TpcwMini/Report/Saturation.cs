using System.Globalization;

namespace TpcwMini.Report;

/// <summary>Says what bound a run: the storage account, the processors, or neither.</summary>
internal static class Saturation
{
    private const double Full = 90;

    public static string Of(StoreLoad? account, IReadOnlyList<ProcessLoad> cpu, int processors)
    {
        var used = cpu.Sum(load => load.CpuPercent) / processors;
        var binds = new List<string>();
        if (account is { } store && store.UtilisationPercent >= Full)
        {
            binds.Add(Text($"storage account ({store.UtilisationPercent:0} % of {store.Limit} operations/s)"));
        }

        if (used >= Full)
        {
            binds.Add(Text($"processors ({used:0} % of {processors})"));
        }

        return binds.Count > 0
            ? string.Join(" and ", binds)
            : account is null ? Text($"nothing here (processors {used:0} %): the robots asked for no more")
            : Text($"neither the storage account ({account.UtilisationPercent:0} %) nor the processors ({used:0} %): the robots asked for no more");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
