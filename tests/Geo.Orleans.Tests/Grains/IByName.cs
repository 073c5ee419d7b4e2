namespace Geo.Orleans.Tests.Grains;

/// <summary>A journaled grain that asks for its provider by name.</summary>
public interface IByName : IGrainWithStringKey
{
    Task Confirm(int amount);

    Task<Reading> Latest();

    Task End();
}
