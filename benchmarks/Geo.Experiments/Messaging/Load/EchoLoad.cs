namespace Geo.Experiments.Messaging.Load;

/// <summary>Loads a target as a cell asks, and measures.</summary>
internal static class EchoLoad
{
    private const int PingBytes = 1024;
    private const int GossipBytes = 512 * 1024;
    private const int OneWaySenders = 4;
    private const double IdleSeconds = 2;

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
        var background = Actors.Start(
            settings.Variant.BackgroundActors, window, actor => target.EchoAsync(Traffic.Background, actor, gossip));
        var actors = Actors.Start(
            settings.Cell.Actors, window, actor => target.EchoAsync(Traffic.Foreground, actor, payload));
        var meter = await MeterAsync(window, actors, background);
        var figures = meter.Figures(actors.Times(), window.Seconds);
        return settings.Variant.BackgroundActors == 0
            ? figures
            : figures with { BackgroundOpsPerSecond = background.Times().Length / window.Seconds };
    }

    private static async Task<PeerFigures> PingAsync(IMessageTarget target, PeerSettings settings)
    {
        var (ping, bulk) = (new byte[PingBytes], new byte[settings.Cell.PayloadBytes]);
        var idleWindow = Window.After(settings.WarmUpSeconds, IdleSeconds);
        var idle = Actors.Start(1, idleWindow, actor => target.EchoAsync(Traffic.Foreground, actor, ping));
        await MeterAsync(idleWindow, idle);
        var idleTimes = idle.Times();

        var window = Window.After(settings.WarmUpSeconds, settings.MeasureSeconds);
        var background = Actors.Start(
            settings.Variant.BackgroundActors, window, actor => target.EchoAsync(Traffic.Background, actor, bulk));
        var beside = Actors.Start(1, window, actor => target.EchoAsync(Traffic.Foreground, actor, ping));
        var meter = await MeterAsync(window, background, beside);
        return meter.Figures(beside.Times(), window.Seconds) with
        {
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
        var senders = Actors.Start(OneWaySenders, never, actor => target.SendAsync(actor, payload));
        await await Task.WhenAny(window.UntilBeginAsync(), senders.Failed);
        var meter = new Meter();
        var before = await target.CountAsync();
        var began = TimeProvider.System.GetTimestamp();
        await await Task.WhenAny(window.UntilEndAsync(), senders.Failed);
        var arrived = await target.CountAsync() - before;
        return meter.Figures(arrived, TimeProvider.System.GetElapsedTime(began).TotalSeconds);
    }

    private static async Task<Meter> MeterAsync(Window window, params Actors[] actors)
    {
        Task[] failures = [.. actors.Select(group => group.Failed)];
        await await Task.WhenAny([window.UntilBeginAsync(), .. failures]);
        var meter = new Meter();
        await await Task.WhenAny([window.UntilEndAsync(), .. failures]);
        return meter;
    }
}
