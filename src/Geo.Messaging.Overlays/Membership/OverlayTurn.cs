namespace Geo.Messaging.Overlays;

/// <summary>Collects the effects of one event while a strategy works out its next state.</summary>
internal abstract class OverlayTurn(TimeSpan now, Random random)
{
    private readonly List<OverlayEffect> _effects = [];

    public TimeSpan Now => now;

    public Random Random => random;

    public IReadOnlyList<OverlayEffect> Effects => _effects;

    public void Do(OverlayEffect effect) => _effects.Add(effect);

    public void Send(PeerId to, PayloadWriter payload) => Do(new OverlayEffect.Send(to, payload.ToArray()));

    /// <summary>One of them by chance; null of none.</summary>
    public T? Any<T>(IReadOnlyList<T> choices)
        where T : class => choices.Count == 0 ? null : choices[random.Next(choices.Count)];
}
