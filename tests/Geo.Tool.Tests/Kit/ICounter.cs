using Geo.Embedded;

namespace Geo.Tool.Tests.Kit;

public interface ICounter : IGrainWithStringKey
{
    Task<int> Add(int amount);
}
