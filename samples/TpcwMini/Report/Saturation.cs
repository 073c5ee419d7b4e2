using System.Globalization;
using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>Says what bound a run: the storage account, the processors, or neither.</summary>
internal static class Saturation
{
    private const double Full = 90;

    /// <summary>What bound a run that had the most steps in time of its row.</summary>
    /// <param name="run">The run.</param>
    /// <param name="falls">True where more load brought less.</param>
    /// <param name="processors">How many processors there are.</param>
    public static string AtPeak(RunResult run, bool falls, int processors)
    {
        var account = run.StorageAccount is { } store && run.StoreOps < RunOptions.NoCap ? store.UtilisationPercent : (double?)null;
        var used = run.Cpu.Sum(load => load.CpuPercent) / processors;
        return account >= Full || used >= Full ? Of(account is null ? null : run.StorageAccount, run.Cpu, processors)
            : Text($"{(account is { } part ? Text($"neither the account ({part:0} %) nor ") : "not ")}the processors ({used:0} %): ")
                + (falls ? "with more robots more steps take over 1.5 s" : "no more robots were tried");
    }

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
            : Text($"neither the storage account ({account.UtilisationPercent:0} %) nor the processors ({used:0} %): ")
                + "the robots asked for no more";
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
