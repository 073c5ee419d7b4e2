// Of packages that the tests do without: what a single-instance class is told by.
namespace Orleans.Journaling
{
    /// <summary>Stands in for <c>IDurableValue</c> and its like.</summary>
    public interface IDurableStandIn;
}

namespace Orleans.DurableJobs
{
    /// <summary>Stands in for the interface of this name.</summary>
    public interface IDurableJobHandler;
}
