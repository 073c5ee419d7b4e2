namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain with one instance per cluster whose versions agree over storage.</summary>
public interface ITally : IGrainWithStringKey
{
    /// <summary>Adds without waiting; returns the tentative sum.</summary>
    Task<int> Add(int amount);

    /// <summary>Adds and waits until the addition is part of a version.</summary>
    Task Confirm(int amount);

    /// <summary>Adds if nothing else was added since; false when something was.</summary>
    Task<bool> AddIfLatest(int amount);

    /// <summary>What the instance knows, without waiting for anything.</summary>
    Task<Reading> Glance();

    /// <summary>The latest version.</summary>
    Task<Reading> Latest();

    /// <summary>Asks for past events.</summary>
    Task History();

    Task End();
}
