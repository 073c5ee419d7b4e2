using System.Globalization;
using Geo.Processes.Stores;

namespace TpcwMini.Options;

/// <summary>What the values on the command line must be. Each rule broken is one <see cref="UsageException"/>.</summary>
internal static class OptionRules
{
    public static T Choice<T>(string option, string word) where T : struct, Enum
    {
        foreach (var choice in Enum.GetValues<T>())
        {
            if (Variant.Word(choice) == word)
            {
                return choice;
            }
        }

        throw new UsageException(
            $"{option} '{word}' is not known. Use {string.Join(" or ", Enum.GetValues<T>().Select(Variant.Word))}.");
    }

    public static int Whole(string option, string text, int least, int most) =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) && number >= least && number <= most
            ? number
            : throw new UsageException($"{option} '{text}' is not possible. Use a whole number from {least} to {most}.");

    public static double Milliseconds(string option, string text) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number) && number is >= 0 and <= 10_000
            ? number
            : throw new UsageException($"{option} '{text}' is not possible. Use milliseconds from 0 to 10000.");

    public static IReadOnlyList<string> ClusterNames(string text)
    {
        var names = text.Split(',', StringSplitOptions.TrimEntries);
        foreach (var name in names)
        {
            try
            {
                _ = new ClusterId(name);
            }
            catch (ArgumentException)
            {
                throw new UsageException(
                    $"--clusters '{text}' names a cluster '{name}' that cannot be: use ASCII letters, digits, '-', '_' or '.', with "
                    + $"commas between.");
            }
        }

        var twice = names.GroupBy(name => name, StringComparer.Ordinal).FirstOrDefault(group => group.Count() > 1);
        if (twice is not null)
        {
            throw new UsageException($"--clusters '{text}' names cluster '{twice.Key}' twice. Give each cluster its own id.");
        }

        return names.Length <= 8
            ? names
            : throw new UsageException($"--clusters '{text}' names {names.Length} clusters; at most 8 run on one machine.");
    }

    /// <summary>The rules that concern several options at once.</summary>
    public static RunOptions Check(RunOptions options)
    {
        if (options.Variant.WhyNot() is { } why)
        {
            throw new UsageException(why);
        }

        if (options.Silos > 1 && options.Host != HostKind.Orleans)
        {
            throw new UsageException($"--silos {options.Silos} needs --host orleans: an embedded cluster is one silo.");
        }

        if (options.Kill is { } kill)
        {
            Check(kill, options);
        }

        RegionRules.Check(options);
        if (options.StorePath is not null && options.Store != StoreKind.Sqlite)
        {
            throw new UsageException("--store-path is the file of --store sqlite. Add --store sqlite or leave the path out.");
        }

        if (options.Robots < options.AllClusters.Count)
        {
            throw new UsageException($"--robots {options.Robots} is fewer than one for each of the {options.AllClusters.Count} clusters.");
        }

        var silos = options.AllClusters.Count * options.Silos;
        return options.Port == 0 || options.Port + silos <= 65_536
            ? options
            : throw new UsageException($"--port {options.Port} leaves no ports for {silos} silos. Choose a lower one, or 0 for free ones.");
    }

    private static void Check(KillPlan kill, double back, RunOptions options)
    {
        if (options.Host != HostKind.Embedded || kill.Silo is not null)
        {
            throw new UsageException($"--kill {kill} brings back what only an embedded cluster can be: leave '-{back}' out.");
        }

        if (back <= kill.Second || back >= options.Seconds)
        {
            throw new UsageException(
                $"--kill {kill} must bring the cluster back after it is killed and before --seconds {options.Seconds}.");
        }
    }

    private static void Check(KillPlan kill, RunOptions options)
    {
        if (!options.Clusters.Contains(kill.Cluster))
        {
            throw new UsageException($"--kill {kill} names no cluster of --clusters {string.Join(',', options.Clusters)}.");
        }

        if (kill.Silo is { } silo)
        {
            if (silo < 1 || silo >= options.Silos)
            {
                throw new UsageException(options.Silos < 2
                    ? $"--kill {kill} would leave no silo in its cluster. Use --host orleans --silos 2, or kill the cluster."
                    : $"--kill {kill} names no silo that can be killed alone: use 1 to {options.Silos - 1}; silo 0 keeps its cluster's "
                        + $"membership.");
            }

            if (options.Variant.State == ItemDurability.Volatile)
            {
                throw new UsageException($"--kill {kill} needs --state persistent: the silo's items would be gone with its memory.");
            }
        }
        else if (options.Clusters.Count < 2)
        {
            throw new UsageException($"--kill {kill} would leave no cluster to serve on. Name two or more in --clusters.");
        }

        if (options.Variant is { State: ItemDurability.Volatile, Instancing: ItemInstancing.Multi })
        {
            throw new UsageException(
                $"--kill {kill} cannot go with --state volatile --instancing multi: the leaders of its items would be gone for good, and "
                + $"nobody could confirm an order. Use --state persistent.");
        }

        if (kill.Back is { } back)
        {
            Check(kill, back, options);
        }

        if (kill.Second >= options.Seconds)
        {
            throw new UsageException($"--kill {kill} lies after the end of the run. Choose a second below --seconds {options.Seconds}.");
        }
    }
}
