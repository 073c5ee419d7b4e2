namespace Geo.Experiments.Messaging.Load;

/// <summary>Loads a target as a cell asks, and measures.</summary>
internal static class EchoLoad
{
    private const int PingBytes = 1024;
    private const int GossipBytes = 512 * 1024;
    private const int OneWaySenders = 4;

    public static Task<PeerFigures> RunAsync(IMessageTarget target, PeerSettings settings) => settings.Cell.Workload switch
    {
        Workload.HeadOfLine => PingAsync(target, settings),
        Workload.LoopbackOneWay => CountAsync(target, settings),
        _ => EchoAsync(target, settings),
    };

    private static async Task<PeerFigures> EchoAsync(IMessageTarget target, PeerSettings settings)
    {
        var payload = new byte[settings.Cell.PayloadBytes];
        var gossip = new byte[GossipBytes];
        var window = Window.After(settings.WarmUpSeconds, settings.MeasureSeconds);
        var background = Echoing(target, Traffic.Background, settings.Variant.BackgroundActors, window, gossip);
        var actors = Echoing(target, Traffic.Foreground, settings.Cell.Actors, window, payload);
        var meter = await MeterAsync(window, actors, background);
        var figures = meter.Figures(actors.Times(), window.Seconds);
        return settings.Variant.BackgroundActors == 0
            ? figures
            : figures with { BackgroundOpsPerSecond = background.Times().Length / window.Seconds };
    }

    private static async Task<PeerFigures> PingAsync(IMessageTarget target, PeerSettings settings)
    {
        var (ping, bulk) = (new byte[PingBytes], new byte[settings.Cell.PayloadBytes]);
        var idleWindow = Window.After(settings.WarmUpSeconds, settings.MeasureSeconds);
        var idle = Echoing(target, Traffic.Foreground, 1, idleWindow, ping);
        await MeterAsync(idleWindow, idle);
        var idleTimes = idle.Times();

        var window = Window.After(settings.WarmUpSeconds, settings.MeasureSeconds);
        var background = Echoing(target, Traffic.Background, settings.Variant.BackgroundActors, window, bulk);
        var beside = Echoing(target, Traffic.Foreground, 1, window, ping);
        var meter = await MeterAsync(window, background, beside);
        return meter.Figures(beside.Times(), window.Seconds) with
        {
            IdleOperations = idleTimes.Length,
            IdleMedian = Meter.At(idleTimes, 0.5),
            IdleMaximum = Meter.At(idleTimes, 1),
            BackgroundOpsPerSecond = background.Times().Length / window.Seconds,
        };
    }

    private static async Task<PeerFigures> CountAsync(IMessageTarget target, PeerSettings settings)
    {
        var payload = new byte[settings.Cell.PayloadBytes];
        var window = Window.After(settings.WarmUpSeconds, settings.MeasureSeconds);

        // They time nothing: what counts is what arrives.
        var never = new Window(long.MaxValue, long.MaxValue);
        var senders = Actors.Start(
            OneWaySenders, never, (actor, life) => target.LiveAsync(Traffic.Foreground, actor, life),
            actor => target.SendAsync(actor, payload));
        await await Task.WhenAny(window.UntilBeginAsync(), senders.Failed);
        var meter = new Meter();
        var before = await target.CountAsync();
        var began = TimeProvider.System.GetTimestamp();
        await await Task.WhenAny(window.UntilEndAsync(), senders.Failed);
        var arrived = await target.CountAsync() - before;
        return meter.Figures(arrived, TimeProvider.System.GetElapsedTime(began).TotalSeconds);
    }

    private static Actors Echoing(IMessageTarget target, Traffic traffic, int count, Window window, byte[] payload) => Actors.Start(
        count, window, (actor, life) => target.LiveAsync(traffic, actor, life), actor => target.EchoAsync(traffic, actor, payload));

    private static async Task<Meter> MeterAsync(Window window, params Actors[] actors)
    {
        Task[] failures = [.. actors.Select(group => group.Failed)];
        await await Task.WhenAny([window.UntilBeginAsync(), .. failures]);
        var meter = new Meter();
        await await Task.WhenAny([window.UntilEndAsync(), .. failures]);
        return meter;
    }
}
