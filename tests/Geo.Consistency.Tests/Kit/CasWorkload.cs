namespace Geo.Consistency.Tests.Kit;

/// <summary>
/// The same few updates by every instance at once, in every way the API offers, with the promises of the versioned API checked at
/// every step: exactly once, own order, groups whole, consistent prefix, monotonic versions, read-your-writes, confirmed means stored.
/// </summary>
internal sealed class CasWorkload
{
    // What an instance still does for another one has ended by then.
    private const int Settle = 15_000;

    private readonly CasWorld _world;
    private readonly bool _looksAlways;
    private readonly Dictionary<CasWorld.Instance, long> _lastVersion = [];
    private readonly List<(string Update, bool IsIn)> _decided = [];

    /// <param name="world">The world to work in.</param>
    /// <param name="instances">How many instances.</param>
    /// <param name="looksAlways">
    /// True to look at the confirmed state at every step. Looking makes a view copy where it otherwise would not, so both ways are tried.
    /// </param>
    internal CasWorkload(CasWorld world, int instances, bool looksAlways)
    {
        (_world, _looksAlways) = (world, looksAlways);
        for (var i = 0; i < instances; i++)
        {
            world.Add();
        }

        world.Scheduler.AfterStep += _ => CheckViews();
    }

    internal void Run()
    {
        _world.Run(async () =>
        {
            await Task.WhenAll(_world.Instances.Select((instance, i) => instance.Do(view => WorkAsync(view, (char)('A' + i)))));
            await _world.Store.FlushAsync();
            await _world.Delay(Settle);
            foreach (var instance in _world.Instances)
            {
                await instance.Do(view => view.RefreshAsync());
            }

            CheckEnd();
        });
    }

    private async Task WorkAsync(BatchedCasView<Notes, string> view, char name)
    {
        view.Start();
        view.Enqueue($"{name}1");
        await _world.Delay(5);
        view.Enqueue([$"{name}2", $"{name}3"]);
        Assert.Equal([$"{name}2", $"{name}3"], view.Tentative.Lines.TakeLast(2));
        await view.ConfirmAsync();
        Holds(_world.Stored.Lines.Contains($"{name}3"), "confirmed, yet not stored");

        view.Enqueue($"{name}4");
        var storedBefore = _world.Stored.Version;
        await view.RefreshAsync();
        Holds(view.Version >= storedBefore, "refreshed to an older version than was stored when it was asked for");
        Holds(view.Confirmed.Lines.Contains($"{name}4"), "refreshed without the own update");

        var decision = view.TryEnqueueAsync([$"{name}5", $"{name}6"]);
        view.Enqueue($"{name}7");
        var isIn = await decision;
        _decided.Add(($"{name}5", isIn));
        _decided.Add(($"{name}6", isIn));
        await view.ConfirmAsync();
    }

    private void CheckViews()
    {
        var stored = _world.Stored;
        Holds(stored.Version == stored.Lines.Count, "the version is not the number of updates");
        foreach (var instance in _world.Instances)
        {
            var view = instance.View;
            Holds(view.Version >= _lastVersion.GetValueOrDefault(instance), "a view went back");
            if (_looksAlways)
            {
                var lines = view.Confirmed.Lines;
                Holds(
                    lines.Count == view.Version && lines.SequenceEqual(stored.Lines.Take(lines.Count)),
                    "a view is no prefix of what is stored");
            }

            _lastVersion[instance] = view.Version;
        }
    }

    private void CheckEnd()
    {
        var (_, lines) = _world.Stored;
        Holds(lines.Distinct().Count() == lines.Count, "an update was applied twice");
        for (var i = 0; i < _world.Instances.Count; i++)
        {
            var name = (char)('A' + i);
            var own = lines.Where(l => l[0] == name).ToList();
            var isIn = _decided.Contains(($"{name}5", true));
            List<string> expected =
                [$"{name}1", $"{name}2", $"{name}3", $"{name}4", .. isIn ? [$"{name}5", $"{name}6"] : Array.Empty<string>(), $"{name}7"];
            Holds(own.SequenceEqual(expected), $"{name} made {string.Join(' ', expected)}");
            Holds(lines.IndexOf($"{name}3") == lines.IndexOf($"{name}2") + 1, "a group was torn apart");
            Holds(!isIn || _world.Instances.Count > 1 || lines.IndexOf($"{name}5") == 4, "a condition was judged wrongly");
            var view = _world.Instances[i].View;
            Holds(view.Version == lines.Count && view.Tentative.Lines.SequenceEqual(lines), "a refreshed view is not what is stored");
            Holds(view.Issue is null, "an issue stayed");
        }

        Holds(_world.Store.MostInFlight <= _world.Instances.Count, "a view had two operations in flight");
    }

    private void Holds(bool condition, string violation)
    {
        if (!condition)
        {
            Assert.Fail($"{violation}; stored: {string.Join(' ', _world.Stored.Lines)}; script: {string.Join(' ', _world.Store.Script)}");
        }
    }
}
