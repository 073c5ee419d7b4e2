namespace Geo.Testing;

/// <summary>
/// All silos of a cluster have one trouble at one time: their store is out of reach, hangs or takes no writes, or all machines stand still.
/// It ends for all, and nobody fences anybody off for it.
/// </summary>
internal sealed class SharedTrouble(StandardRun run) : SiloStory(run)
{
    private const int Times = 3;

    public override async Task RunAsync()
    {
        var (lease, store) = (Troubled.SiloOptions.LeaseDuration, Troubled.RemoteRows!);
        await World.PassAsync(lease);
        var lives = Troubled.Silos.Select(s => s.Present).ToArray();
        for (var time = 0; time < Times; time++)
        {
            var trouble = Choices.Next(4);
            Set(trouble, true);
            await World.PassAsync(Choices.Between(lease / 4, lease * 3));
            Set(trouble, false);
            if (trouble == 1)
            {
                store.EndHanging();
            }

            await World.PassAsync(Choices.Between(lease * 1.5, lease * 3));
            if (!lives.SequenceEqual(Troubled.Silos.Select(s => s.Present)))
            {
                World.Fail($"a silo of {Troubled} was fenced off for a trouble that all of them had");
            }
        }

        void Set(int trouble, bool isOn)
        {
            World.Trace.Note($"trouble {trouble} of all silos of {Troubled} {(isOn ? "begins" : "ends")}");
            switch (trouble)
            {
                case 0:
                    store.Options.Unreachable = isOn;
                    break;
                case 1:
                    store.Options.Hangs = isOn;
                    break;
                case 2:
                    store.Options.LosesWrites = isOn;
                    break;
                default:
                    Troubled.Silos.ToList().ForEach(s => _ = isOn ? Freeze(s) : Thaw(s));
                    break;
            }
        }
    }

    private static bool Freeze(SimulatedSilo silo)
    {
        silo.Freeze();
        return true;
    }

    private static bool Thaw(SimulatedSilo silo)
    {
        silo.Thaw();
        return true;
    }
}
